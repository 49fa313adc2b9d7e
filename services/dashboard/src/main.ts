import { runService } from '@gateway/process';
import { start } from './server';

void runService('dashboard', start);
