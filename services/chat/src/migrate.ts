import path from 'node:path';
import { runMigration } from '@gateway/postgres';

void runMigration('chat', path.join(__dirname, '../migrations'));
