import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { variable } from '../variables.ts'
import { region as regionBefore } from './bedrock-region.ts'
import { secretText, settingsText } from './settings-text.ts'
import type { NamedModel } from './vendors.ts'

/** A model on Bedrock: credentials of its own, or those of the environment. */
export function bedrockOptions(
  { model }: NamedModel,
  given: Part,
  importing: Importing,
): Record<string, unknown> {
  const { reading, variables } = importing
  const own = settingsText(given.at('aws_region_name'), variables, 'AWS_REGION_NAME')
  const region = own ?? regionBefore.exec(model)?.[1] ?? variable('AWS_REGION_NAME')
  const baseURL = settingsText(
    given.at('aws_bedrock_runtime_endpoint'),
    variables,
    'AWS_BEDROCK_RUNTIME_ENDPOINT',
  )
  if (model.startsWith('invoke/'))
    reading.note("Bedrock is asked by its Converse API, also where a model says 'invoke/'.")
  const bearerToken = secretText(given.at('api_key'), variables, 'AWS_BEARER_TOKEN_BEDROCK')
  return {
    region,
    ...(bearerToken === undefined ? { credentials: credentialsOf(given, importing) } : { bearerToken }),
    ...(baseURL === undefined ? {} : { baseURL }),
  }
}

function credentialsOf(given: Part, { reading, variables }: Importing): Record<string, string> {
  const text = (key: string, wanted: string) => secretText(given.at(key), variables, wanted)
  const accessKeyId = text('aws_access_key_id', 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = text('aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY')
  const sessionToken = text('aws_session_token', 'AWS_SESSION_TOKEN')
  if (accessKeyId === undefined)
    reading.note(
      'Bedrock reads AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Roles and profiles are had in a TypeScript configuration, by bedrock({ credentials }) with a function.',
    )
  return {
    accessKeyId: accessKeyId ?? variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: secretAccessKey ?? variable('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
}
