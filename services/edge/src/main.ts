import { runService } from '@gateway/process';
import { startEdge } from './server';

void runService('edge', startEdge);
