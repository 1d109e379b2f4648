import { Fault } from '../fault.ts'
import { signatureOf } from '../signature.ts'
import type { Content, GenerateRequest, Part } from './generate-request.ts'
import type { ModelFacts } from './models.ts'

/** What the vendor takes in the place of a signature that another model never made. */
const sentinels = ['context_engineering_is_the_way_to_go', 'skip_thought_signature_validator']

/** The rules that span fields. Throws `Fault`. */
export function checkGenerateRules(body: GenerateRequest, facts: ModelFacts): void {
  checkParts(body)
  checkTurns(body)
  checkFunctions(body, facts)
  checkFormat(body)
  checkThinking(body, facts)
  checkSignatures(body, facts)
}

function checkParts({ contents, systemInstruction }: GenerateRequest): void {
  for (const { parts } of [...contents, ...(systemInstruction ? [systemInstruction] : [])]) {
    for (const { text, thoughtSignature } of parts) {
      if (text === '' && thoughtSignature === undefined) {
        throw new Fault('Unable to submit request because it must have a text parameter.')
      }
    }
  }
}

function checkTurns({ contents }: GenerateRequest): void {
  let calls: readonly Part[] = []
  for (const [index, { role, parts }] of contents.entries()) {
    // The user's words may stand apart from what the tools said.
    const apart = contents[index - 1]?.parts.every(isResponse) === true && !parts.some(isResponse)
    if (index > 0 && role === contents[index - 1]?.role && !apart) {
      throw new Fault('Please ensure that multiturn requests alternate between user and model.')
    }
    const made = parts.filter(part => part.functionCall !== undefined)
    const answers = parts.filter(part => part.functionResponse !== undefined)
    if (made.length > 0 && role !== 'model')
      throw new Fault('Function calls have to be in a turn of the model.')
    if (made.length > 0 && index === 0) {
      throw new Fault(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    if (answers.length > 0 && (role === 'model' || calls.length === 0)) {
      throw new Fault(
        'Please ensure that function response turn comes immediately after a function call turn.',
      )
    }
    if (answers.length !== calls.length) {
      throw new Fault(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    for (const [at, { functionCall: call }] of calls.entries()) {
      // Where calls have ids these say what is answered, else the order does.
      const own = !call?.id ? answers[at] : answers.find(part => part.functionResponse?.id === call.id)
      if (own?.functionResponse?.name !== call?.name) {
        throw new Fault(`contents.${index}: function response ${at} is not for ${call?.name}`)
      }
    }
    calls = made
  }
  if (calls.length > 0) throw new Fault('Please ensure that function calls are answered.')
}

function checkFunctions(body: GenerateRequest, facts: ModelFacts): void {
  const names = (body.tools ?? []).flatMap(tool => tool.functionDeclarations.map(({ name }) => name))
  if (new Set(names).size < names.length) throw new Fault('Duplicate function declaration found.')
  const json = body.generationConfig?.responseMimeType === 'application/json'
  if (names.length > 0 && json && !facts.jsonWithTools) {
    throw new Fault("Function calling with a response mime type: 'application/json' is unsupported")
  }
  const config = body.toolConfig?.functionCallingConfig
  if (config === undefined) return
  if (names.length === 0) throw new Fault('Function calling config is set without function_declarations.')
  const { allowedFunctionNames: allowed, mode } = config
  if (allowed === undefined) return
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    throw new Fault('allowed_function_names should be set only when function calling mode is ANY.')
  }
  const undeclared = allowed.find(name => !names.includes(name))
  if (undeclared !== undefined) throw new Fault(`allowed_function_names: ${undeclared} is not declared.`)
}

function checkFormat({ generationConfig: config = {} }: GenerateRequest): void {
  const schema = config.responseSchema ?? config.responseJsonSchema
  if (schema !== undefined && config.responseMimeType !== 'application/json') {
    throw new Fault('response_schema only works with response mime type application/json')
  }
  if (config.responseSchema !== undefined && config.responseJsonSchema !== undefined) {
    throw new Fault('Only one of response_schema and response_json_schema can be set.')
  }
}

function checkThinking({ generationConfig }: GenerateRequest, { budget, levels }: ModelFacts): void {
  const config = generationConfig?.thinkingConfig
  if (config === undefined) return
  const { thinkingBudget: tokens, thinkingLevel: level } = config
  if (budget === undefined) throw new Fault('Thinking is not supported by this model.')
  if (tokens !== undefined && level !== undefined) {
    throw new Fault('You can only set only one of thinking budget and thinking level.')
  }
  if (level !== undefined && !levels.includes(level.toLowerCase())) {
    throw new Fault(`Thinking level ${level} is not supported for this model.`)
  }
  if (tokens === undefined || tokens === -1) return
  if (tokens === 0 && !budget.off) {
    throw new Fault('Budget 0 is invalid. This model only works in thinking mode.')
  }
  if (tokens !== 0 && (tokens < budget.least || tokens > budget.most)) {
    throw new Fault(
      `The thinking budget ${tokens} is invalid. Please choose a value between ${budget.least} and ${budget.most}.`,
    )
  }
}

/** Since the user's last words, the first call of each step has to bear its signature. */
function checkSignatures({ contents }: GenerateRequest, facts: ModelFacts): void {
  const asked = contents.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(isResponse))
  for (const [index, content] of contents.entries()) {
    for (const [at, part] of callsOf(content).entries()) {
      const { thoughtSignature: signature, functionCall } = part
      if (signature === undefined) {
        if (at > 0 || index < asked || !facts.signatures) continue
        throw new Fault(
          `Function call \`${functionCall?.name}\` in the \`${index + 1}.\` content block is missing a \`thought_signature\`.`,
        )
      }
      if (sentinels.includes(signature)) continue
      if (signature !== callSignature(part)) throw new Fault('Corrupted thought signature.')
    }
  }
}

/** The signature that a call bears. */
export function callSignature({ functionCall }: Part): string {
  return signatureOf('google', JSON.stringify([functionCall?.name, functionCall?.args ?? {}]))
}

function callsOf({ parts }: Content): Part[] {
  return parts.filter(part => part.functionCall !== undefined)
}

function isResponse(part: Part): boolean {
  return part.functionResponse !== undefined
}
