/** Header of a reply to edge: the answering service keeps no record of this call, so edge logs it. Clients don't receive it. */
export const UNRECORDED = 'x-edge-unrecorded';
