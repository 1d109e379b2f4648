import { type JsonObject, objectOf } from '../json-value.ts'

/** The JSON that a request asks for. */
export interface RequestedFormat {
  /** Its schema, if it names one. */
  readonly schema: unknown
}

/** Returns the JSON format of a request in any protocol; `undefined` if it asks for none. */
export function requestedFormat(body: JsonObject): RequestedFormat | undefined {
  const formats = [
    body.response_format,
    objectOf(body.text)?.format,
    objectOf(body.output_config)?.format,
    body.output_format,
  ]
  for (const format of formats) {
    const { type, json_schema: named, schema } = objectOf(format) ?? {}
    if (type === 'json_schema') return { schema: objectOf(named)?.schema ?? schema }
    if (type === 'json_object') return { schema: undefined }
  }
  return undefined
}
