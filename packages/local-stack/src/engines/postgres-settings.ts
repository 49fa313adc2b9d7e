import type { PostgresBinaries } from './postgres-binaries';

/** Returns the server's arguments: a small memory footprint, but full durability. */
export function postgresArguments({ majorVersion }: PostgresBinaries, data: string, port: number): string[] {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    max_connections: 200,
    shared_buffers: '32MB',
    wal_buffers: '1MB',
    work_mem: '2MB',
    maintenance_work_mem: '32MB',
    max_wal_size: '256MB',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_worker_processes: 0,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    max_logical_replication_workers: 0,
    autovacuum_max_workers: 1,
    huge_pages: 'off',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    cluster_name: 'model-gateway',
  };
  // The default starts three additional processes for reads.
  if (majorVersion >= 18) settings.io_method = 'sync';
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
