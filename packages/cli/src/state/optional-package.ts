import { CommandError } from '../command.ts'
import { projectModule } from '../service/project-module.ts'

/** A package that is installed by those who need it. */
interface OptionalPackage {
  /** The setting that needs it, as a message begins: `state.redis`. */
  readonly setting: string
  /** What is installed: `pg`. */
  readonly name: string
  /** What is imported, if not the package's main module. */
  readonly entry?: string
  /** A way without the package, which follows `or`. */
  readonly instead?: string
}

/**
 * Loads a package of the project, or else of this program. Rejects with `CommandError`, which says how to install it, where
 * neither has it.
 */
export async function optionalPackage<Module>(
  { setting, name, entry = name, instead }: OptionalPackage,
  folder: string,
  load: typeof projectModule = projectModule,
): Promise<Module> {
  const loaded = await load(entry, folder)
  if (loaded === undefined) {
    const without = instead === undefined ? '' : `\nOr ${instead}.`
    throw new CommandError(
      `${setting} needs the package ${name}, which is not installed here. Run: npm install ${name}${without}`,
    )
  }
  return loaded as Module
}
