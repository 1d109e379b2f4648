import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type CommandContext, CommandFault } from '../command.ts'
import { noPositionals } from '../command-line/arguments.ts'
import { configsIn } from '../config/load/find-config.ts'
import { type EnvironmentVendor, environmentVendors } from '../dev/environment-vendors.ts'
import { starterConfig } from '../init/starter-config.ts'
import { jsonText, typedText, yamlText } from '../init/starter-text.ts'

/** `sluice init`. */
export const init: Command = {
  name: 'init',
  summary: 'writes a configuration for the vendors whose keys are in the environment',
  help: `
Usage: sluice init [--yaml | --json] [--force]

  --yaml    writes sluice.config.yaml
  --json    writes sluice.config.json
            Default: sluice.config.ts, with types for your editor
  --force   writes over a file that is there

Vendors are those whose keys are in the environment, such as OPENAI_API_KEY. The file names the variables, and holds no key.

Example: sluice init && sluice check && sluice dev`,
  options: {
    yaml: { type: 'boolean' },
    json: { type: 'boolean' },
    force: { type: 'boolean' },
  },
  async run(values, positionals, world) {
    noPositionals('init', positionals)
    if (values.yaml === true && values.json === true) {
      throw new CommandFault(
        'sluice init: --yaml and --json are given together. Give one of them, or none.',
        2,
      )
    }
    const vendors = environmentVendors(world.env)
    const sections = starterConfig({ vendors, apiKey: Boolean(world.env.SLUICE_API_KEY) })
    const [file, text] =
      values.yaml === true
        ? ['sluice.config.yaml', yamlText(sections)]
        : values.json === true
          ? ['sluice.config.json', jsonText(sections)]
          : ['sluice.config.ts', typedText(sections)]
    const other = configsIn(world.cwd).find(name => name !== file)
    if (other !== undefined) {
      throw new CommandFault(
        `${other} is here already, and a folder has one configuration. Remove it first, or run sluice init elsewhere.`,
      )
    }
    write(join(world.cwd, file), file, text, values.force === true)
    world.print(nextSteps(file, vendors, world))
    return 0
  },
}

function write(path: string, file: string, text: string, force: boolean): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new CommandFault(`${file} is there already, and was left as it is. Use --force to write over it.`)
    }
    throw new CommandFault(
      `${file} cannot be written here (${code ?? 'unknown'}). Run sluice init in a folder of yours.`,
    )
  }
}

function nextSteps(file: string, vendors: readonly EnvironmentVendor[], { env }: CommandContext): string {
  const found =
    vendors.length === 0
      ? `Wrote ${file}. No vendor's key is in the environment: its one model is answered by local(), which is no language model.
Set OPENAI_API_KEY or another vendor's key and run npx sluice init --force, or write the vendor into the file.`
      : `Wrote ${file}, with ${vendors.map(({ title, keyVariable }) => `${title} (${keyVariable})`).join(', ')}.`
  const steps = [
    ['npx sluice check', 'says whether it is sound'],
    ['npx sluice dev', 'tries it, with a page'],
    ...(env.SLUICE_API_KEY ? [] : [['npx sluice keys create --name me', 'issues a key']]),
    ['npx sluice serve', 'serves it'],
  ]
  return `${found}\n\nNext:\n${steps.map(([command = '', why]) => `  ${command.padEnd(34)}${why}`).join('\n')}`
}
