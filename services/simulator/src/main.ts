import { runService } from '@gateway/runtime';
import { startSimulator } from './server';

void runService('simulator', startSimulator);
