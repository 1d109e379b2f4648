import type { FunctionTool, JsonObject, Tool } from '@sluice/core/provider'
import { strictSchema } from '../claude/structured-outputs.ts'
import { functionTool, inputSchema } from '../claude/tools.ts'
import { cacheControl } from '../conversation/extensions.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type CachePoint, cachePoints } from './cache-point.ts'
import type { BedrockModel } from './models.ts'

/** A tool of Converse. */
export interface ToolBlock {
  readonly toolSpec: {
    readonly name: string
    readonly description?: string
    readonly inputSchema: { readonly json: JsonObject }
    readonly strict?: true
  }
}

/** A function of the caller, and the mark after it. */
export interface CallerTool {
  readonly block: ToolBlock
  readonly marks: readonly CachePoint[]
}

/**
 * Functions as tools, with their schemas whole. A strict one's schema is made such as the model takes it; where
 * the model has no strict tools, or strictness would leave an object empty, it is not strict, and an adjustment reports it.
 *
 * Throws `GatewayError` (400) for a custom tool, and for a schema whose root is no object.
 */
export function callerTools(
  tools: readonly Tool[],
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): readonly CallerTool[] {
  return tools.map((tool, index) => {
    const path = `tools[${index}]`
    return callerTool(functionTool(tool, path), path, model, adjuster)
  })
}

function callerTool(
  tool: FunctionTool,
  path: string,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): CallerTool {
  const { name, description, parameters, strict } = tool.function
  const schema = inputSchema(parameters, `${path}.function.parameters`, model.claude !== undefined)
  const mark = cacheControl(tool) ?? cacheControl(tool.function)
  if (mark !== undefined && model.cachePoints !== 'everywhere') {
    adjuster.drop(`${path}.cache_control`, 'this model caches no tools')
  }
  const marks = model.cachePoints === 'everywhere' ? cachePoints(mark, model) : []
  const toolOf = (json: JsonObject) => ({
    // An empty description is refused.
    toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json } },
  })
  if (strict !== true) return { block: toolOf(schema), marks }
  const { structuredOutputs } = model
  const closed = strictSchema({ path, schema, given: parameters, structuredOutputs }, adjuster)
  if (closed === undefined) return { block: toolOf(schema), marks }
  return { block: { toolSpec: { ...toolOf(closed).toolSpec, strict: true } }, marks }
}
