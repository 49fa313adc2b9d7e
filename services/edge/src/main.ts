import { runService } from '@gateway/runtime';
import { startEdge } from './server';

void runService('edge', startEdge);
