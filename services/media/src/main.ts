import { runService } from '@gateway/process';
import { startMedia } from './server';

void runService('media', startMedia);
