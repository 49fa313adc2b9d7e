import { runService } from '@gateway/runtime';
import { startMedia } from './server';

void runService('media', startMedia);
