import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Returns whether a request came over the network, and not from a page in this process. */
export const isNetworkRequest = ({ raw }: FastifyRequest): boolean => raw.socket instanceof Socket;
