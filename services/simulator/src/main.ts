import { runService } from '@gateway/process';
import { startSimulator } from './server';

void runService('simulator', startSimulator);
