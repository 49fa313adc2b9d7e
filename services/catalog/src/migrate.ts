import path from 'node:path';
import { runMigration } from '@gateway/runtime';

void runMigration('catalog', path.join(__dirname, '../migrations'));
