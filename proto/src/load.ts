import path from 'node:path';
import * as grpc from '@grpc/grpc-js';
import * as protoLoader from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import { QuickLong } from './quick-long';

// The text of 64-bit integers was half of what it costs to read a message.
protobuf.util.Long = QuickLong;

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
