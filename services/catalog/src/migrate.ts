import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('catalog', path.join(__dirname, '../migrations'));
