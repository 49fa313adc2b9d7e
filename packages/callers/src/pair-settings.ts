import { CALLERS, type Caller, calleesOf, callersOf, type ServiceName } from './callers';

/** Returns the name of the setting that both services of a pair have. */
export function pairSetting(caller: Caller, callee: ServiceName): string {
  return `SERVICE_SECRET_${caller}_TO_${callee}`.toUpperCase();
}

/** Returns the caller and callee of each pair that the service belongs to. */
export function pairsOf(service: Caller): [Caller, ServiceName][] {
  const called = Object.hasOwn(CALLERS, service) ? (service as ServiceName) : undefined;
  return [
    ...calleesOf(service).map((callee): [Caller, ServiceName] => [service, callee]),
    ...(called ? callersOf(called).map((caller): [Caller, ServiceName] => [caller, called]) : []),
  ];
}
