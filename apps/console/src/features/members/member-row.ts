// The columns that members and invitations share: who, what it opens, the role with what can be done. Out: classes of a row.

export const memberRow =
  "grid items-center gap-x-3 gap-y-1 px-4 py-2.5 lg:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_15rem]";
