import { runService } from '@gateway/process';
import { startStorage } from './server';

void runService('storage', startStorage);
