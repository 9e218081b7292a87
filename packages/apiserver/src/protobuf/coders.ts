/* Functions of this folder that the server uses. Importing this file loads the message table. */
export { decodeBody } from './body.ts';
export { decodeMessage } from './decode.ts';
export { encodeMessage } from './encode.ts';
export { encodeEvent, encodeObject } from './envelope.ts';
export { encodeList } from './list.ts';
export { messages, Messages } from './messages.ts';
