import fastJson, { type Schema } from 'fast-json-stringify';
import * as z from 'zod/mini';

type Encode = (response: unknown) => string;

const encoders = new WeakMap<z.ZodMiniType, Encode>();

/**
 * Returns a function that encodes a response as JSON, and compiles it once per schema, at the first response: compiling
 * all of them would lengthen each start. It writes only the properties that the schema names, so columns that the
 * contract does not name cannot leak. It does not validate values, whose types the compiler has checked.
 */
export function compileEncoder(schema: z.ZodMiniType): Encode {
  const known = encoders.get(schema);
  if (known) return known;
  let compiled: Encode | undefined;
  const encode: Encode = (response) => (compiled ??= fastJson(toEncoderSchema(schema) as Schema))(response);
  encoders.set(schema, encode);
  return encode;
}

/**
 * Returns the JSON Schema for the encoder. Avoids unions, because the encoder validates their values. In this version
 * of JSON Schema, nullable values are no unions; those in tuples are replaced.
 */
export const toEncoderSchema = (schema: z.ZodMiniType): z.core.JSONSchema.BaseSchema =>
  z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    override: ({ zodSchema, jsonSchema }) => {
      const { items } = jsonSchema;
      if (zodSchema._zod.def.type === 'tuple' && typeof items === 'object' && !Array.isArray(items))
        jsonSchema.items = items.anyOf ?? items;
    },
  });
