import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('media', path.join(__dirname, '../migrations'));
