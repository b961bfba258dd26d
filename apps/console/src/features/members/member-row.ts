// The columns of members and invitations: person, access, role with buttons. In: nothing. Out: the classes of a row.

export const memberRow =
  "grid items-center gap-x-3 gap-y-1 px-4 py-2.5 lg:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_15rem]";
