import fastJson, { type Schema } from 'fast-json-stringify';
import * as z from 'zod/mini';

/**
 * Compiles a function that encodes a response as JSON. It writes only the properties that the schema names, so columns
 * that the contract does not name cannot leak. It does not validate values, whose types the compiler has checked.
 */
export const compileEncoder = (schema: z.ZodMiniType): ((response: unknown) => string) =>
  fastJson(toEncoderSchema(schema) as Schema);

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
