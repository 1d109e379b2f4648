import type * as z from 'zod/mini'
import { type ErrorReason, GatewayError } from '../errors/errors.ts'
import { type Path, pathText, quotedList, shorten, typeName } from '../protocol/error-messages.ts'
import type { SchemaIssue } from './container-schemas.ts'

type Issue = z.core.$ZodIssue

/**
 * Converts an issue of a schema to an error with the message that hosted services use.
 *
 * @param field - the top-level field in which the issue was found.
 */
export function toValidationError(field: string, issue: Issue): GatewayError {
  const path: Path = [field, ...issue.path]
  const param = pathText(path)
  const refuse = (reason: ErrorReason, message: string): GatewayError =>
    new GatewayError(reason, { message, param })
  if (issue.input === undefined) {
    return refuse('missing_required_parameter', `Missing required parameter: '${param}'.`)
  }
  switch (issue.code) {
    case 'too_big':
      return refuse(...tooBig(issue, param))
    case 'too_small':
      return refuse(...tooSmall(issue, param))
    case 'invalid_value':
      if (typeof issue.input !== 'string')
        return refuse('invalid_type', wrongType(param, 'a string', issue.input))
      return refuse(
        'invalid_value',
        `Invalid value: '${shorten(issue.input)}'. Supported values are: ${quotedList(issue.values)}.`,
      )
    case 'invalid_format':
      return refuse(
        'invalid_value',
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${String(issue.pattern).slice(1, -1)}'.`,
      )
    case 'custom': {
      const fault = issue.params?.fault as SchemaIssue
      return new GatewayError(fault.reason, {
        message: fault.message(param),
        param: fault.param?.(param) ?? param,
      })
    }
    default:
      return refuse('invalid_type', wrongType(param, issue.message, issue.input))
  }
}

/** Returns the message for a value of the wrong type. */
export function wrongType(param: string, expected: string, got: unknown): string {
  return `Invalid type for '${param}': expected ${expected}, but got ${typeName(got)} instead.`
}

function tooBig(issue: z.core.$ZodIssueTooBig, param: string): [ErrorReason, string] {
  const { maximum, input } = issue
  if (issue.origin === 'string') {
    return [
      'string_above_max_length',
      `Invalid '${param}': string too long. Expected a string with maximum length ${maximum}, but got a string with length ${lengthOf(input)} instead.`,
    ]
  }
  if (issue.origin === 'array') {
    return [
      'array_above_max_length',
      `Invalid '${param}': array too long. Expected an array with maximum length ${maximum}, but got an array with length ${lengthOf(input)} instead.`,
    ]
  }
  const kind = kindOf(issue)
  return [
    `${kind}_above_max_value`,
    `Invalid '${param}': ${kind} above maximum value. Expected a value <= ${maximum}, but got ${input} instead.`,
  ]
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, param: string): [ErrorReason, string] {
  const { minimum, input } = issue
  if (issue.origin === 'array') {
    return [
      'empty_array',
      `Invalid '${param}': empty array. Expected an array with minimum length ${minimum}, but got an empty array instead.`,
    ]
  }
  const kind = kindOf(issue)
  return [
    `${kind}_below_min_value`,
    `Invalid '${param}': ${kind} below minimum value. Expected a value >= ${minimum}, but got ${input} instead.`,
  ]
}

/** Beyond 2^53 the issue comes from the type, with its message "an integer". */
function kindOf({ message }: Issue): 'integer' | 'decimal' {
  return message.endsWith('integer') ? 'integer' : 'decimal'
}

function lengthOf(value: unknown): number {
  return (value as string | readonly unknown[]).length
}
