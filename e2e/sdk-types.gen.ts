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
        assignee_id: string | null;
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
        assignee_id?: string | null;
      };
      update: {
        title?: string;
        status?: "open" | "done";
        rank?: number | { add: number };
        board_id?: string | null;
        place?: number | null | { add: number };
        assignee_id?: string | null;
      };
      where: {
        id?: string;
        title?: string;
        status?: "open" | "done";
        rank?: number;
        board_id?: string;
        place?: number;
        assignee_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "rank" | "place" | "version";
      times: "created_at" | "updated_at";
      relations: {
        assignee: { to: "user"; many: false; };
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
    nickname: string | null;
    created_at: string;
    updated_at: string;
    version: number;
  };
  related: {
    user: {
      record: {
        id: string;
        email?: string;
        name?: string | null;
        roles?: ("user" | "owner" | "admin")[];
        nickname: string | null;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        nickname?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "email" | "name" | "nickname";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        assigned: { to: "task"; many: true; by: "assignee_id"; };
      };
    };
  };
  profile: {
    nickname?: string | null;
  };
}
