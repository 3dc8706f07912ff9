import type { LightMyRequestResponse } from 'fastify';
import { type CallParts, toWireRequest } from '#contract/call.ts';
import { type Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import type { Device } from './device.ts';
import { type StaffEndpointName, type StaffTarget, staffCalls } from './staff-inputs.ts';

export async function callStaffEndpoint(
  device: Device,
  name: StaffEndpointName,
  target: StaffTarget,
): Promise<LightMyRequestResponse[]> {
  const { upload }: Endpoint = endpoints[name];
  const responses = [];
  for (const input of staffCalls[name].inputs(target)) {
    const { method, url, body } = toWireRequest(name, input as CallParts);
    responses.push(
      upload === undefined
        ? await device.fetch(method, url, body)
        : await device.fetch(method, url, Buffer.from('Matric No,Surname\n'), { 'content-type': upload }),
    );
  }
  return responses;
}

export const outcomeOf = (response: LightMyRequestResponse): string =>
  response.statusCode < 400
    ? String(response.statusCode)
    : (response.json<{ code?: string }>().code ?? String(response.statusCode));
