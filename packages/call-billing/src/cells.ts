import { GatewayError } from '@gateway/errors';
import { connectionOfCell, type KafkaConnection } from '@gateway/kafka';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import {
  callUnary,
  createGrpcClient,
  createGrpcClients,
  type GrpcClientOptions,
  loadService,
  type PeerInstances,
} from '@gateway/rpc';
import type { CellAddress } from './cell-settings';
import { grpcDelivery } from './grpc-delivery';
import { kafkaDelivery } from './kafka-delivery';
import type { UsageDelivery } from './usage-delivery';

const FIND_TIMEOUT_MS = 2_000;

/** The billing of a cell, which has a part of the accounts. */
export interface CellBilling {
  /** Empty: home, which has the directory of the accounts of other cells. */
  readonly name: string;
  readonly client: BillingServiceClient;
  /** Each of its instances, for streams. */
  instances(): PeerInstances<BillingServiceClient>;
  /** @param kafka the connection to home's brokers; undefined: events are sent to billing itself */
  usageDelivery(clientId: string, kafka: KafkaConnection | undefined, log: Logger): UsageDelivery;
}

/** Holds one set of connections and queues per cell, so that an unreachable cell does not delay the calls of another. */
export class Cells<Parts> {
  readonly home: Parts;
  readonly #others: ReadonlyMap<string, Parts>;
  readonly #findCell: (accountId: string) => Promise<string>;

  /** @param findCell looks an account up in the directory; needed if there are `others` */
  constructor(
    home: Parts,
    others: ReadonlyMap<string, Parts> = new Map(),
    findCell: (accountId: string) => Promise<string> = () => Promise.resolve(''),
  ) {
    this.home = home;
    this.#others = others;
    this.#findCell = findCell;
  }

  /** Home is the first. */
  get all(): Parts[] {
    return [this.home, ...this.#others.values()];
  }

  /**
   * @param name empty or absent: home
   * @throws GatewayError `internal_error` for a cell that this process has no settings of
   */
  of(name = ''): Parts {
    const parts = this.find(name);
    if (parts !== undefined) return parts;
    throw new GatewayError('internal_error', { cause: new Error(`no settings for the cell ${name}`) });
  }

  find(name: string): Parts | undefined {
    return name === '' ? this.home : this.#others.get(name);
  }

  map<Mapped>(to: (parts: Parts) => Mapped): Cells<Mapped> {
    const others = [...this.#others].map(([name, parts]) => [name, to(parts)] as const);
    return new Cells(to(this.home), new Map(others), this.#findCell);
  }

  /** Looks the cell up, for an account whose key context is not at hand. @throws GatewayError `internal_error` */
  async ofAccount(accountId: string): Promise<Parts> {
    return this.#others.size === 0 ? this.home : this.of(await this.#findCell(accountId));
  }
}

/** Connects to the billing of every cell. */
export function connectCells<Parts>(
  {
    home,
    others,
    peer,
  }: {
    /** Addresses of home's billing. */
    readonly home: readonly string[];
    readonly others: readonly CellAddress[];
    readonly peer: Omit<GrpcClientOptions, 'addresses'>;
  },
  create: (cell: CellBilling) => Parts,
): Cells<Parts> {
  const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
  const connect = ({ name, addresses, kafkaBrokers }: CellAddress): CellBilling => {
    const options = { ...peer, addresses };
    const client = createGrpcClient(BillingService, options);
    return {
      name,
      client,
      instances: () => createGrpcClients(BillingService, options),
      usageDelivery: (clientId, kafka, log) =>
        kafka
          ? kafkaDelivery({ clientId, connection: connectionOfCell(kafka, name, kafkaBrokers), log })
          : grpcDelivery(client),
    };
  };
  const homeBilling = connect({ name: '', addresses: home });
  const findCell = async (accountId: string) => {
    const { client } = homeBilling;
    return (await callUnary(client, client.FindCell, { accountId }, { timeoutMs: FIND_TIMEOUT_MS })).name;
  };
  return new Cells(
    create(homeBilling),
    new Map(others.map((cell) => [cell.name, create(connect(cell))])),
    findCell,
  );
}
