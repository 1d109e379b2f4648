import * as z from 'zod/mini'
import type { FunctionDefinition, Tool, ToolChoice } from './chat.ts'
import { anyObject, either, list, object, tagged } from './expect-containers.ts'
import { flag, maybe, name, oneOf, text } from './expect-scalars.ts'

/** A function that the model may call (protocol section 1.2). */
export const functionSchema = object({
  name: name(),
  description: maybe(text()),
  parameters: maybe(anyObject()),
  strict: maybe(z.nullable(flag())),
}) satisfies z.ZodMiniType<FunctionDefinition>

const customFormat = tagged('type', {
  text: anyObject(),
  grammar: object({
    type: z.literal('grammar'),
    grammar: object({ definition: text(), syntax: oneOf(['lark', 'regex']) }),
  }),
})

export const toolSchema = tagged('type', {
  function: object({ type: z.literal('function'), function: functionSchema }),
  custom: object({
    type: z.literal('custom'),
    custom: object({
      name: text(),
      description: maybe(text()),
      format: maybe(customFormat),
    }),
  }),
}) as z.ZodMiniType<Tool>

const named = object({ name: text() })

export const toolChoiceSchema: z.ZodMiniType<ToolChoice> = either('one of a string or object', {
  string: oneOf(['none', 'auto', 'required']),
  object: tagged('type', {
    function: object({ type: z.literal('function'), function: named }),
    custom: object({ type: z.literal('custom'), custom: named }),
    allowed_tools: object({
      type: z.literal('allowed_tools'),
      allowed_tools: object({
        mode: oneOf(['auto', 'required']),
        tools: list(anyObject(), 'an array of objects'),
      }),
    }),
  }),
})

/** The older way to choose: `function_call`. */
export const functionChoiceSchema = either('one of a string or object', {
  string: oneOf(['none', 'auto']),
  object: named,
})
