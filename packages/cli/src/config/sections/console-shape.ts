import type { ConsoleChatConfig, ConsoleConfig } from '../config.ts'
import { object } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import { flag, secret } from '../shape/values.ts'
import { callerMembers } from './callers-shape.ts'

const chatShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<ConsoleChatConfig>(
        callerMembers({
          tags: 'Tags of the principal, such as its team. Default: none.',
          limits:
            'Its own limits. Default: 60 requests a minute, and 1 US dollar a day that does not count models without a price.',
        }),
      ),
    },
  ],
  '{ models, tags, limits }, or false',
)

export const consoleShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<ConsoleConfig>({
        adminKey: {
          shape: secret(
            `at least 16 visible ASCII characters, such as \${SLUICE_ADMIN_KEY} from the environment`,
            /^[\x21-\x7e]{16,512}$/,
          ),
          description: 'Grants access to the console: usage and key management. Not an API key of a caller.',
          required: true,
        },
        chat: {
          shape: chatShape,
          description:
            "Permissions and limits of the chat without a caller's key, as the principal `console`. `false` turns that off.",
        },
        ownUsage: {
          shape: flag,
          description:
            'Whether callers may ask for their own usage, with their own keys, at `/console/api/own-usage`. Needs `state.database`. Default: no.',
        },
      }),
    },
  ],
  '{ adminKey }, or false',
)
