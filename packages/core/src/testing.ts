export { VirtualClock } from '@mcr/client/testing';
