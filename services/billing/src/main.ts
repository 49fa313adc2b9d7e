import { runService } from '@gateway/process';
import { startBilling } from './server';

void runService('billing', startBilling);
