export * from './create-kafka';
export * from './kafka-settings';
