import type { ConsoleChatConfig, ConsoleConfig } from '../config.ts'
import { list, object, record } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import { secret, text } from '../shape/values.ts'
import { limitsShape } from './limit-shape.ts'

const chatShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<ConsoleChatConfig>({
        models: {
          shape: list(text("a model's name, or a pattern such as 'test-*'"), {
            of: "models' names or patterns",
          }),
          description: 'The models that it may use, by name or pattern. Default: all.',
        },
        tags: {
          shape: record(text(), { of: 'texts by name' }),
          description: 'Tags of the principal, such as its team. Default: none.',
        },
        limits: {
          shape: limitsShape,
          description:
            'Its own limits. Default: 60 requests a minute, and 1 US dollar a day that does not count models without a price.',
        },
      }),
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
            `16 visible ASCII characters or more, such as \${SLUICE_ADMIN_KEY} from the environment`,
            /^[\x21-\x7e]{16,512}$/,
          ),
          description: 'Who has it sees usage and manages keys. It is no key of a caller.',
          required: true,
        },
        chat: {
          shape: chatShape,
          description:
            "What the chat may do without a caller's key, as the principal `console`; `false`: nothing.",
        },
      }),
    },
  ],
  '{ adminKey }, or false',
)
