import { runService } from '@gateway/runtime';
import { startChat } from './server';

void runService('chat', startChat);
