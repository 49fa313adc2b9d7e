import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('dashboard', path.join(__dirname, '../migrations'));
