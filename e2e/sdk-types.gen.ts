// Types of the project todo-desk, for createClient<TodoDesk>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface TodoDesk {
  entities: {
    board: {
      record: {
        id: string;
        name: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
      };
      update: {
        name?: string;
      };
      where: {
        id?: string;
        name?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        created_by: { to: "user"; many: false; };
        tasks: { to: "task"; many: true; by: "board_id"; };
      };
      keys: { name: string };
    };
    task: {
      record: {
        id: string;
        title: string;
        status: "open" | "done";
        rank: number;
        board_id: string | null;
        place: number | null;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        status?: "open" | "done";
        rank?: number;
        board_id?: string | null;
        place?: number | null;
      };
      update: {
        title?: string;
        status?: "open" | "done";
        rank?: number | { add: number };
        board_id?: string | null;
        place?: number | null | { add: number };
      };
      where: {
        id?: string;
        title?: string;
        status?: "open" | "done";
        rank?: number;
        board_id?: string;
        place?: number;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "rank" | "place" | "version";
      times: "created_at" | "updated_at";
      relations: {
        board: { to: "board"; many: false; };
        created_by: { to: "user"; many: false; };
      };
      keys: { "board_id,place": [string, number] };
      views: "urgent";
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    created_at: string;
    updated_at: string;
    version: number;
  };
  related: {
    user: {
      record: {
        id: string;
        email: string;
        name: string | null;
        roles: ("user" | "owner" | "admin")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "email" | "name";
      numbers: "version";
      times: "created_at" | "updated_at";
    };
  };
  profile: Record<string, never>;
}
