import { connect } from 'node:net';

const METADATA = { key: 3, version: 1 };

/** Requests the broker's metadata; it is ready when it lists itself and every partition has a leader. */
export function hasReadyBroker(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const finish = (ready) => {
      socket.destroy();
      resolve(ready);
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(3_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.write(metadataRequest()));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) finish(isReady(received));
    });
  });
}

function metadataRequest() {
  const request = Buffer.alloc(18);
  request.writeInt32BE(14, 0);
  request.writeInt16BE(METADATA.key, 4);
  request.writeInt16BE(METADATA.version, 6);
  request.writeInt32BE(1, 8); // correlation id
  request.writeInt16BE(-1, 12); // no client id
  request.writeInt32BE(-1, 14); // all topics
  return request;
}

/** Metadata response, version 1: brokers, controller, topics with their partitions. */
function isReady(frame) {
  let at = 8;
  const int32 = () => {
    at += 4;
    return frame.readInt32BE(at - 4);
  };
  const int16 = () => {
    at += 2;
    return frame.readInt16BE(at - 2);
  };
  const skipString = () => {
    const length = int16();
    at += Math.max(0, length);
  };
  const times = (count, read) => Array.from({ length: Math.max(0, count) }, read);
  const brokers = times(int32(), () => {
    int32();
    skipString();
    int32();
    skipString();
  });
  int32();
  const topics = times(int32(), () => {
    int16();
    skipString();
    at += 1; // whether internal
    return times(int32(), () => {
      at += 6; // error and index
      const leader = int32();
      times(int32(), int32);
      times(int32(), int32);
      return leader >= 0;
    });
  });
  return brokers.length > 0 && topics.flat().every(Boolean);
}
