import { runService } from '@gateway/runtime';
import { startBilling } from './server';

void runService('billing', startBilling);
