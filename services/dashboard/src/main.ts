import { runService } from '@gateway/runtime';
import { start } from './server';

void runService('dashboard', start);
