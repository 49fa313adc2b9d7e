import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('billing', path.join(__dirname, '../migrations'));
