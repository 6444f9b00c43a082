import { type OwnRows, ownRows, type State } from "./state.ts";
import {
  type EffectName,
  effectNames,
  type Rows,
  type TableName,
  tables,
  type ViewName,
  views,
} from "./tables.ts";

/** An effect as a handler sees it, by the part of its key after the user. */
type OwnEffect<Row> = Readonly<{
  /** Asks for it, in place of what was asked for under the same key. */
  push(row: Omit<Row, "user_id">): void;
  get(key: string | number): Row | undefined;
  all(): Row[];
  drop(key: string | number): unknown;
}>;

type NameOf<Spec> = Spec extends { as: infer As extends string } ? As : never;

/** All that a handler sees of the calling user's rows, as the commands before left them. */
export type OwnTables = Readonly<
  { [Name in TableName as NameOf<(typeof tables)[Name]>]: OwnRows<Rows[Name]> } & {
    [Name in ViewName as NameOf<(typeof views)[Name]>]: Pick<OwnRows<Rows[Name]>, "get">;
  } & { [Name in EffectName]: OwnEffect<Rows[Name]> }
>;

type Owner = Readonly<{ state: State; userId: string }>;

function ownEffect<Name extends EffectName>({ state, userId }: Owner, name: Name): OwnEffect<Rows[Name]> {
  const { insert: push, remove, isKnown, get, all } = ownRows(state, name, userId);
  return { push, get, all, drop: (key) => isKnown(key) && remove(key) };
}

/** A handler uses few of them, so each is made when it is asked for. */
const getters: PropertyDescriptorMap = {};
const named: Readonly<Record<string, Readonly<{ as?: string; [other: string]: unknown }>>> = {
  ...tables,
  ...views,
};
for (const [name, { as }] of Object.entries(named))
  if (as)
    getters[as] = {
      get(this: Owner) {
        return ownRows(this.state, name as TableName, this.userId);
      },
    };
for (const name of effectNames)
  getters[name] = {
    get(this: Owner) {
      return ownEffect(this, name);
    },
  };
const prototype = Object.defineProperties({}, getters);

export const ownTables = (state: State, userId: string): OwnTables =>
  Object.assign(Object.create(prototype), { state, userId });
