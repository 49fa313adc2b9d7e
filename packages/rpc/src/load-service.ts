import path from 'node:path';
import type { ServiceName } from '@gateway/callers';
import * as grpc from '@grpc/grpc-js';
import * as protoLoader from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import { QuickLong } from './quick-long';

/** The directory that imports in proto files are relative to. */
const ROOT = path.dirname(require.resolve('@gateway/proto/package.json'));

/** Returns the service of an RPC. @param path such as `/gateway.billing.v1.BillingService/Deliver` */
export function serviceOfPath(path: string): ServiceName {
  return path.split('.')[1] as ServiceName;
}

/** Loads a service's proto file as a grpc-js package object; cast it to that file's `ProtoGrpcType`. */
export function loadService<T>(service: ServiceName): T {
  // Converting 64-bit integers to text was half of the cost of decoding a message.
  protobuf.util.Long = QuickLong;
  const definition = protoLoader.loadSync(`gateway/${service}/v1/${service}.proto`, {
    includeDirs: [ROOT],
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return grpc.loadPackageDefinition(definition) as unknown as T;
}
