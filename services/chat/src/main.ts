import { runService } from '@gateway/process';
import { startChat } from './server';

void runService('chat', startChat);
