import type { Call, ChatRequest } from '@sluice/core'
import { schemaAsked } from '../anthropic/answer-tool.ts'
import { bedrockModel } from './models.ts'

/**
 * The name of the tool by which the model gives an answer with a schema, where it has no better way; `undefined`
 * where there is no such tool. It follows from the call alone: who reads the answer has to know it too.
 */
export function answerToolName({ input, model: id }: Call): string | undefined {
  if (schemaAsked(input) === undefined || hasToCall(input)) return undefined
  const model = bedrockModel(id)
  if (model.structuredOutputs || model.toolChoice === 'auto') return undefined
  const taken = new Set(input.tools?.map(tool => (tool.type === 'function' ? tool.function.name : '')))
  let name = 'json'
  for (let count = 2; taken.has(name); count++) name = `json_${count}`
  return name
}

/** Whether one of the caller's tools has to be called: then that call is the answer, in whatever form. */
export function hasToCall({ tool_choice: choice, tools }: ChatRequest): boolean {
  if (tools === undefined || tools.length === 0 || choice === undefined) return false
  if (typeof choice === 'string') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
}
