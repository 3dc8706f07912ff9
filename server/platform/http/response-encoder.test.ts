import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { compileEncoder, toEncoderSchema } from './response-encoder.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

function createSample(schema: JsonSchema, more: object): unknown {
  const { type, properties, additionalProperties, items, enum: values } = schema;
  if (properties) {
    const named = Object.entries(properties).map(([name, value]) => [name, createSample(value as JsonSchema, more)]);
    return { ...(Object.fromEntries(named) as object), ...more };
  }
  if (typeof additionalProperties === 'object') return { key: createSample(additionalProperties, more) };
  if (type === 'array') return [items ?? []].flat().map((item) => createSample(item as JsonSchema, more));
  if (values) return values[0];
  return new Map<unknown, unknown>([
    ['string', 'text'],
    ['integer', 7],
    ['number', 7.5],
    ['boolean', true],
  ]).get(type);
}

describe('compileEncoder', () => {
  test.each(Object.entries<Endpoint>(endpoints).filter(([, { response }]) => response))(
    'writes all properties that the contract names for %s, and no others',
    { tags: ['asvs-15.3.1'] },
    (_, { response = z.unknown() }) => {
      const schema = toEncoderSchema(response);
      const encoded = compileEncoder(response)(createSample(schema, { password_hash: 'secret', nested: { deep: 1 } }));
      expect(JSON.parse(encoded)).toEqual(createSample(schema, {}));
      expect(JSON.stringify(schema)).not.toMatch(/"(?:any|one|all)Of"/u);
    },
  );

  test('writes null, leaves out absent properties, and refuses a response without a required property', () => {
    const encode = compileEncoder(z.object({ a: z.nullable(z.string()), b: z.optional(z.object({ c: z.int() })) }));
    expect(encode({ a: null })).toBe('{"a":null}');
    expect(encode({ a: '"\u2028\ud800', b: { c: 1 } })).toBe(JSON.stringify({ a: '"\u2028\ud800', b: { c: 1 } }));
    expect(() => encode({ b: { c: 1 } })).toThrow('"a" is required');
  });
});
