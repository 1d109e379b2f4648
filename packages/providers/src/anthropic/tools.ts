import type { FunctionTool, JsonObject, Tool } from '@sluice/core/provider'
import type { ClaudeModel } from '../claude/models.ts'
import { strictSchema } from '../claude/structured-outputs.ts'
import { functionTool, inputSchema } from '../claude/tools.ts'
import { cacheControl } from '../conversation/extensions.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** A tool of the Messages API. */
export interface ApiTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: JsonObject
  readonly strict?: true
  readonly cache_control?: JsonObject
}

/**
 * Functions as tools, with their schemas whole. A strict one's schema is made such as the vendor takes it; where
 * the model has no strict tools, or strictness would leave an object empty, it is not strict, and an adjustment reports it.
 *
 * Throws `GatewayError` (400) for a custom tool, and for a schema whose root is no plain object.
 */
export function apiTools(tools: readonly Tool[], model: ClaudeModel, adjuster: ParameterAdjuster): ApiTool[] {
  return tools.map((tool, index) => {
    const path = `tools[${index}]`
    return apiTool(functionTool(tool, path), path, model, adjuster)
  })
}

function apiTool(tool: FunctionTool, path: string, model: ClaudeModel, adjuster: ParameterAdjuster): ApiTool {
  const { name, description, parameters, strict } = tool.function
  const schema = inputSchema(parameters, `${path}.function.parameters`)
  const mark = cacheControl(tool) ?? cacheControl(tool.function)
  const shared = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(mark === undefined ? {} : { cache_control: mark }),
  }
  if (strict !== true) return { ...shared, input_schema: schema }
  const given = parameters === undefined ? undefined : schema
  const { structuredOutputs } = model
  const closed = strictSchema({ path, schema, given, structuredOutputs }, adjuster)
  return closed === undefined
    ? { ...shared, input_schema: schema }
    : { ...shared, input_schema: closed, strict: true }
}
