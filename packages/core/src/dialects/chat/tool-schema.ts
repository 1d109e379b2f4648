import type * as z from 'zod/mini'
import type { FunctionDefinition, Tool, ToolChoice } from '../../protocol/chat.ts'
import { anyObject, either, list, object, tagged } from '../../validation/expect-containers.ts'
import { flag, maybe, name, nullable, oneOf, only, text } from '../../validation/expect-scalars.ts'

/** A function that the model may call (protocol section 1.2). */
export const functionSchema = object({
  name: name(),
  description: maybe(text()),
  parameters: maybe(anyObject()),
  strict: maybe(nullable(flag())),
}) satisfies z.ZodMiniType<FunctionDefinition>

const customFormat = tagged('type', {
  text: anyObject(),
  grammar: object({
    type: only('grammar'),
    grammar: object({ definition: text(), syntax: oneOf(['lark', 'regex']) }),
  }),
})

export const toolSchema = tagged('type', {
  function: object({ type: only('function'), function: functionSchema }),
  custom: object({
    type: only('custom'),
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
    function: object({ type: only('function'), function: named }),
    custom: object({ type: only('custom'), custom: named }),
    allowed_tools: object({
      type: only('allowed_tools'),
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
