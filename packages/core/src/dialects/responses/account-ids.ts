import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { itemType } from './item-types.ts'

/**
 * Refuses ids of what is stored in the account of a vendor: prompts, files, and images. All callers of a gateway share the account,
 * so that an id of one of them would work for all. Throws `GatewayError` 400.
 *
 * @param pathOf - returns the caller's path for an index of the input.
 */
export function refuseAccountIds(body: JsonObject, pathOf: (index: number) => string): void {
  if ((jsonMember(body, 'prompt') ?? undefined) !== undefined) {
    throw new GatewayError('unsupported_parameter', {
      message:
        "Unsupported parameter: 'prompt'. It is stored in an account that callers share: send its text instead.",
      param: 'prompt',
    })
  }
  for (const [index, item] of jsonItems(jsonMember(body, 'input')).entries()) {
    if (itemType(item) === 'image_generation_call' && !hasText(item, 'result')) throw imageNotFound(item)
    for (const name of ['content', 'output']) {
      const member = jsonMember(item, name)
      if (hasText(member, 'file_id')) throw fileOfAccount(`${pathOf(index)}.${name}.file_id`)
      for (const [at, part] of jsonItems(member).entries()) {
        if (hasText(part, 'file_id')) throw fileOfAccount(`${pathOf(index)}.${name}[${at}].file_id`)
      }
    }
  }
}

/**
 * Whether an item of reasoning has only an id: nothing of it can be read without what the vendor has stored, and the gateway lets a
 * vendor store nothing.
 */
export function isBareReasoning(item: JsonValue): boolean {
  if (itemType(item) !== 'reasoning' || hasText(item, 'encrypted_content')) return false
  return !jsonItems(jsonMember(item, 'content')).some(part => hasText(part, 'text'))
}

function hasText(value: JsonValue | undefined, name: string): boolean {
  const member = jsonMember(value, name)
  return typeof member === 'string' && member !== ''
}

function fileOfAccount(param: string): GatewayError {
  return new GatewayError('unsupported_value', {
    message: `Unsupported value: '${param}'. Files are stored in an account that callers share: send the data or a URL instead.`,
    param,
  })
}

function imageNotFound(item: JsonValue): GatewayError {
  const id = shorten(String(jsonMember(item, 'id')))
  return new GatewayError('invalid_request', { message: `Item with id '${id}' not found.`, param: 'input' })
}
