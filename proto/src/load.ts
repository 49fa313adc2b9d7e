import path from 'node:path';
import * as grpc from '@grpc/grpc-js';
import * as protoLoader from '@grpc/proto-loader';

const ROOT = path.join(__dirname, '..');

export type ServiceName = 'billing' | 'catalog' | 'chat' | 'dashboard' | 'media';

/** The grpc-js package object of one service's proto file; cast it to that file's `ProtoGrpcType`. */
export function loadService<T>(service: ServiceName): T {
  const definition = protoLoader.loadSync(`gateway/${service}/v1/${service}.proto`, {
    includeDirs: [ROOT],
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return grpc.loadPackageDefinition(definition) as unknown as T;
}
