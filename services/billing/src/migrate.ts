import path from 'node:path';
import { runMigration } from '@gateway/runtime';

void runMigration('billing', path.join(__dirname, '../migrations'));
