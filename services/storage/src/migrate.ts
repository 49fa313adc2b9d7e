import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('storage', path.join(__dirname, '../migrations'));
